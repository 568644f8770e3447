/**
 * The tour: a conversation whose words are settled beforehand, for whoever has no model yet. Only the model is played;
 * its calls go through the real loop to real servers, and the person is really asked.
 */

import { join } from 'node:path'
import { createScriptedModel, type ModelConfig, type Script, type ScriptedReply } from '@portico/host/model'

export const TOUR_MODEL = 'portico-tour'
export const TOUR_TITLE = 'A tour of Portico'

export const TOUR_NOTICE =
  'This is a tour: the words of the model are a script. Its tool calls, your approvals and the results are real.'

interface TourTurn {
  /** What the user is made to say. */
  readonly say: string
  /** The tools that it needs, by their names in the catalogue. */
  readonly needs: readonly string[]
  readonly replies: readonly ScriptedReply[]
}

const BEST_SELLERS = `SELECT p.name, sum(i.quantity) AS sold, p.price_cents
FROM order_items i JOIN products p ON p.id = i.product_id
GROUP BY p.id ORDER BY sold DESC, p.name LIMIT 5`

export function tourTurns(stateDir: string): readonly TourTurn[] {
  return [
    {
      say: 'What time is it in Lisbon?',
      needs: ['time_now'],
      replies: [
        { text: 'I look at the clock.', calls: [{ name: 'time_now', arguments: { zone: 'Europe/Lisbon' } }] },
        {
          text: 'The answer is in the card above. That tool only reads, and its server is trusted, so nobody was asked.',
        },
      ],
    },
    {
      say: 'Which five products sold best in the sample shop?',
      needs: ['sql_query'],
      replies: [
        {
          text: 'I ask the database. That only reads as well; but what the clock said would go along, and words of one server do not reach another unless you allow it.',
          calls: [{ name: 'sql_query', arguments: { sql: BEST_SELLERS } }],
        },
        { text: 'If you allowed it, the card above has the rows.' },
      ],
    },
    {
      say: 'Remember that the shop has five best sellers.',
      needs: ['memory_remember'],
      replies: [
        {
          text: 'I would like to keep that. This changes something, so you are asked: allow it, edit the arguments, or deny it. Then you are asked once more about the words that go along.',
          calls: [
            {
              name: 'memory_remember',
              arguments: { entity: 'Sample shop', fact: 'It has five best sellers.', kind: 'project' },
            },
          ],
        },
        { text: 'Whatever you chose is what happened, and it is in the audit log under Policy.' },
      ],
    },
    writingTurn(join(stateDir, 'scratch', 'tour.md')),
  ]
}

function writingTurn(path: string): TourTurn {
  return {
    say: 'Write a short note about it into my scratch folder.',
    needs: ['files_write_file'],
    replies: [
      {
        text: 'A file is about to be written; look at the arguments before you allow it.',
        calls: [
          {
            name: 'files_write_file',
            arguments: {
              path,
              text: '# From the tour\n\nThe sample shop has five best sellers.\n',
            },
          },
        ],
      },
      {
        text: 'That is the tour. Every message of it is under Timeline, every decision under Policy. **New conversation** begins one of your own, with a model that you add there.',
      },
    ],
  }
}

export function tourModel(
  stateDir: string,
  paceMs: number,
): { readonly config: ModelConfig; readonly fetch: typeof fetch } {
  const script: Script = {
    replies: [],
    topics: Object.fromEntries(tourTurns(stateDir).map(({ say, replies }) => [say, replies])),
    afterwards: 'This conversation is a tour, and a script has no answer to that. Add a model to go on.',
    paceMs,
  }
  return {
    // Nothing is contacted: the script answers in place of the network.
    config: { id: TOUR_MODEL, provider: 'openai-compatible', model: 'scripted', baseUrl: 'http://tour.invalid/v1' },
    fetch: createScriptedModel(script).fetch,
  }
}
