/** `@portico/sdk/stdio`: serve over standard input and output. */

export { type StdioOptions, serveStdio } from '../serve/stdio.ts'
