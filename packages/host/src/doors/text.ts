/** `@portico/host/text`: what a person cannot see in a text, made visible, names that were mistyped, and the word of a command that is the server. Small, and needs nothing else of the host. */

export { replaceHidden, type Strictness, showHidden } from '@portico/sdk/internal-text'
export { startedWord } from '../config/command/started-word.ts'
export { nearestName } from '../config/nearest-name.ts'
