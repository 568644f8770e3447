/** `portico/typescript`: for `node --import portico/typescript`: lets Node 20 run TypeScript, tests included. */

import 'jiti/register'
