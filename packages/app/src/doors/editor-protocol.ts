/** `portico/editor-protocol`: the types of what an editor and `portico host` say to each other, for editors in TypeScript. */

export type * from '../cli/editor/protocol.ts'
