/** The server under test as a program that a client starts. `--page-size <n>` splits its lists. */

import { parseArgs } from 'node:util'
import { serveStdio } from '@portico/sdk/stdio'
import { createInteropServer } from './our-server.ts'

const { values } = parseArgs({ options: { 'page-size': { type: 'string' } } })
const pageSize = values['page-size']
serveStdio(createInteropServer(pageSize === undefined ? {} : { pageSize: Number(pageSize) }))
