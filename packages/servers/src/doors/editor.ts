/** `@portico/servers/editor`: code through language servers. */

export { createEditorServer, EDITOR_LIMITS, type EditorOptions } from '../editor/server.ts'
export type { ReadyServer } from '../entry.ts'
