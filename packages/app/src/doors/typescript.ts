/** `portico/typescript`: for `node --import portico/typescript`: lets Node 20 run TypeScript, tests included. */

import { register } from 'node:module'
import { extname } from 'node:path'

// By the ending that this file itself has, in source and in what is built of it.
const own = `../typescript-hooks${extname(import.meta.url)}`
// Beside the door that jiti does export, which would register them for everything.
const hooks = new URL('./jiti-hooks.mjs', import.meta.resolve('jiti/register')).href
register(own, import.meta.url, { data: { hooks } })
