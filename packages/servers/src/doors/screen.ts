/** `@portico/servers/screen`: pictures of screens and windows, after the user agreed. */

export type { ReadyServer } from '../entry.ts'
export type { ScreenOptions } from '../screen/options.ts'
export { createScreenServer } from '../screen/server.ts'
