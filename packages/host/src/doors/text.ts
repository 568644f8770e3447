/** `@portico/host/text`: what a person cannot see in a text, made visible, and names that were mistyped. Small, and needs nothing else of the host. */

export { replaceHidden, type Strictness, showHidden } from '../config/command/hidden-characters.ts'
export { nearestName } from '../config/nearest-name.ts'
