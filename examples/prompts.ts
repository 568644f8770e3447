// Teaches: prompts with typed arguments, and completion that knows what was chosen before.
import { createServer, prompt } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

const frameworks: { [language: string]: string[] } = {
  python: ['django', 'flask'],
  typescript: ['express', 'hono'],
}

const review = prompt(
  {
    title: 'Code review',
    description: 'Asks for a review of a piece of code',
    input: z.object({
      language: z.string().describe('Programming language'),
      framework: z.string().optional().describe('Framework in use'),
    }),
    complete: {
      language: (typed) => Object.keys(frameworks).filter((name) => name.startsWith(typed)),
      framework: (typed, chosen) => (frameworks[chosen.language ?? ''] ?? []).filter((name) => name.startsWith(typed)),
    },
  },
  ({ language, framework }) => [
    {
      role: 'user',
      content: { type: 'text', text: `Review my ${language} code${framework ? ` (${framework})` : ''}.` },
    },
    { role: 'assistant', content: { type: 'text', text: 'Paste it, and tell me what worries you.' } },
  ],
)

serveStdio(createServer({ name: 'reviews', version: '1.0.0', prompts: { review } }))
