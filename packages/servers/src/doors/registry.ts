/** `@portico/servers`: the list of servers, each loaded when wanted. */

export type { EntryOption, EntryValue, ReadyServer, ServerEntry } from '../entry.ts'
export { isServerName, loadEntry, SERVER_NAMES, type ServerName } from '../registry.ts'
