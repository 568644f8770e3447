/** Portico's fetch door, default settings but for sessions, which not every runtime can keep. */

import { serveFetch } from '@portico/sdk/fetch'
import { createServer, tool } from '@portico/sdk/server'
import { ADD, add, INFO, NUMBERS } from '../work.ts'

const tools = { add: tool({ description: ADD, input: NUMBERS }, ({ a, b }) => add(a, b)) }

export const { fetch } = serveFetch(createServer({ ...INFO, tools }), { sessions: false })
