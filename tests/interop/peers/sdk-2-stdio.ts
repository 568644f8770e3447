/** The server on the official SDK 2.4.0 as a program that a client starts; it serves both eras. */

import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createSdk2Server, createWorld } from './sdk-2.ts'

const world = createWorld()
serveStdio(() => createSdk2Server(world, true))
