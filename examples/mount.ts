// Teaches: one server inside another. Names get a prefix; what changes in the inner one shows in the outer one.
import { createServer, resource, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

const pair = z.object({ a: z.number(), b: z.number() })

const math = createServer({
  name: 'math',
  version: '1.0.0',
  tools: { add: tool({ input: pair }, ({ a, b }) => `${a + b}`) },
  resources: { pi: resource({ uri: 'math://pi' }, () => String(Math.PI)) },
})

const desk = createServer({
  name: 'desk',
  version: '1.0.0',
  tools: {
    learn: tool({ description: 'Teaches the mounted server to multiply' }, () => {
      math.tool(
        'multiply',
        tool({ input: pair }, ({ a, b }) => `${a * b}`),
      )
      return 'math_multiply is there now.'
    }),
  },
})

desk.mount('math', math)
serveStdio(desk)
