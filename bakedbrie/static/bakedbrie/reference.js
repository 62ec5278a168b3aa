// The REST reference: Swagger UI over the instance's own OpenAPI document. It asks nobody else for anything.
"use strict";

const place = document.getElementById("reference");
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

function follow() {
  const { theme } = root.dataset;
  root.classList.toggle("dark-mode", theme === "dark" || (theme === "system" && dark.matches));
}

follow();
dark.addEventListener("change", follow);
new MutationObserver(follow).observe(root, { attributeFilter: ["data-theme"] });

SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  filter: true,
});
