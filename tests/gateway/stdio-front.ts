/** The gateway as a program that a client starts: `stdio-front.ts <place as JSON> <revision towards the server>`. */

import { serveStdio } from '@portico/sdk/stdio'
import type { Version } from '../interop/client-under-test.ts'
import { openFront } from './front.ts'

const [place = '{}', version = ''] = process.argv.slice(2)
const front = await openFront(JSON.parse(place), version as Version)
await serveStdio(front.gateway.server)
process.stdin.once('close', () => void front.close().then(() => process.exit(0)))
