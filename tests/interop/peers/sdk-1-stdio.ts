/** The server on the official SDK 1.32.2 as a program that a client starts. */

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createSdk1Server } from './sdk-1.ts'

await createSdk1Server().connect(new StdioServerTransport())
