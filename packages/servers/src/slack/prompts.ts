/** Prompts for what people do most at Slack. */

import { prompt } from '@portico/sdk/server'

const CHANNEL = { name: 'channel', description: 'The name of the channel', required: true } as const

export function createPrompts() {
  return {
    catch_up: prompt(
      { title: 'What did I miss?', description: 'Sums up what was said in a channel', arguments: [CHANNEL] },
      ({ channel }) =>
        `Read what was said lately in #${channel} with read_channel, and the threads that matter with read_thread. Sum up what was ` +
        'decided, what is open, and what somebody wants of me. Name who said it. Post nothing.',
    ),
  }
}
