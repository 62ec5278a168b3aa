/* The board. */
"use strict";
