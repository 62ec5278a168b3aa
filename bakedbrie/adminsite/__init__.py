"""The site of the admin: who may enter, its front page, and Flower behind it."""
