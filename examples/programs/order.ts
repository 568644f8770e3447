// Teaches: a conversation inside one call. Two forms, a question for the model, a payment that is made once.
import { createServer, tool } from '@portico/sdk/server'
import { z } from 'zod'

const size = z.object({ size: z.enum(['small', 'large']), coffees: z.number().int().min(1).max(20) })
const address = z.object({ street: z.string().min(1), gift: z.boolean().default(false) })
const PRICES = { small: 3, large: 4 }

/** What was really charged. */
const charges: number[] = []

export default createServer({
  name: 'coffee',
  version: '1.0.0',
  tools: {
    charged: tool({ description: 'The charges so far', output: z.array(z.number()), readOnly: true }, () => charges),
    order: tool({ description: 'Orders coffee, after asking what and where' }, async (_, ctx) => {
      ctx.progress(1, 4, 'asking what')
      const what = await ctx.elicit('what', { message: 'What may it be?', form: size })
      if (what.action !== 'accept') return 'Nothing was ordered.'

      ctx.progress(2, 4, 'asking where')
      const where = await ctx.elicit('where', { message: 'Where to?', form: address })
      if (where.action !== 'accept') return 'Nothing was ordered.'

      // On the newest revision the handler runs again after each answer; a step happens once, whatever the revision.
      const euros = await ctx.step('charge', () => {
        const sum = PRICES[what.content.size] * what.content.coffees
        charges.push(sum)
        return sum
      })
      ctx.progress(3, 4, 'charged')

      const card = where.content.gift
        ? await ctx.sample('card', { prompt: 'One friendly sentence for a gift card.', maxTokens: 60 })
        : undefined
      const words = [card?.content ?? []].flat().map((block) => (block.type === 'text' ? block.text : ''))
      ctx.progress(4, 4)
      return [`${what.content.coffees} coffees to ${where.content.street}, ${euros} euros.`, ...words].join(' ')
    }),
  },
})
