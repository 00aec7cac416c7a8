export { createPathLanguage } from "./path-language.ts";
