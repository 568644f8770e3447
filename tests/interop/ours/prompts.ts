/** Prompts of the server under test: typed arguments with completion, every kind of content, and one that asks. */

import { prompt } from '@portico/sdk/server'
import { z } from 'zod'
import { allKinds, completeGreeting, completeLanguage, completeWord, greeting } from '../vocabulary.ts'

export const prompts = {
  greet: prompt(
    {
      title: 'Greet',
      description: 'Greets in a language',
      input: z.object({ language: z.string().describe('Which one'), greeting: z.string().optional() }),
      complete: { language: completeLanguage, greeting: completeGreeting },
    },
    ({ language, greeting: word }) => greeting(language, word),
  ),
  gallery: prompt({ description: 'Every kind of content' }, () =>
    allKinds().map((content, at) => ({ role: at % 2 === 0 ? ('user' as const) : ('assistant' as const), content })),
  ),
  many: prompt(
    {
      arguments: [{ name: 'word', required: true }],
      complete: { word: completeWord },
    },
    ({ word }) => String(word),
  ),
  interview: prompt({ description: 'Asks before it answers' }, async (_, ctx) => {
    const answer = await ctx.elicit('topic', { message: 'About what?', form: z.object({ topic: z.string() }) })
    return answer.action === 'accept' ? `Tell me about ${answer.content.topic}.` : 'Tell me anything.'
  }),
}
