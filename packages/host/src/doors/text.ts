/** `@portico/host/text`: what a person cannot see in a text, made visible. Small, and needs nothing else of the host. */

export { replaceHidden, type Strictness, showHidden } from '../config/hidden-characters.ts'
