/** The same with Zod. */

import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'
import { cost } from './cost.ts'

const input = z.object({ a: z.number(), b: z.number() })

serveStdio(createServer({ name: 'start', version: '1.0.0', tools: { cost: tool({ input }, () => cost()) } }))
