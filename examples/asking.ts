// Teaches: asking from a handler. A form for the user, a question for the client's model, work that happens only once.
import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

let bookings = 0

const wishes = z.object({
  nights: z.number().int().min(1).max(14).describe('How many nights?'),
  room: z.enum(['single', 'double']).default('double'),
})

const book = tool(
  { description: 'Books a hotel room, after asking for the details', input: z.object({ city: z.string() }) },
  async ({ city }, ctx) => {
    const answer = await ctx.elicit('wishes', { message: `Your stay in ${city}`, form: wishes })
    if (answer.action !== 'accept') return 'Nothing was booked.'
    const { nights, room } = answer.content

    // The newest revision runs the handler again after each answer; a step runs once and is remembered.
    const number = await ctx.step('booking', () => ++bookings)

    const tip = await ctx.sample('tip', { prompt: `One sentence: what to see in ${city}?`, maxTokens: 100 })
    const [block] = [tip.content].flat()
    return `Booking ${number}: ${nights} nights, ${room}. ${block?.type === 'text' ? block.text : ''}`
  },
)

serveStdio(createServer({ name: 'hotel', version: '1.0.0', tools: { book } }))
