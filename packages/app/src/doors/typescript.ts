/** `portico/typescript`: for `node --import portico/typescript`: lets Node 20 run TypeScript, tests included. */

import { register } from 'node:module'
import { extname } from 'node:path'

// By the ending that this file itself has, in source and in what is built of it.
const own = `../typescript-hooks${extname(import.meta.url)}`
register(own, import.meta.url, { data: { jiti: import.meta.resolve('jiti') } })
