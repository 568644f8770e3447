/** The same with Zod loaded and one schema made: what any server that uses Zod pays for Zod. */

import { z } from 'zod'
import './bare.ts'

z.object({ a: z.number(), b: z.number() }).parse({ a: 1, b: 2 })
