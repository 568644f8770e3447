/** Calls that are cancelled while they are about to wait for their client, or before they are taken up again. */

import { connect } from '@portico/sdk/client'
import { type AskingContext, createServer, tool } from '@portico/sdk/server'
import { expect, it } from 'vitest'
import { Parking } from './parking.ts'
import { RelayedCall } from './relayed-call.ts'

function createCall(places: Parking): RelayedCall<string> {
  return new RelayedCall<string>({
    server: 's',
    principal: 'ada',
    maxKept: 1,
    maxQuestions: 1,
    hide: (text) => text,
    answer: (_question, _ctx, ask) => ask(),
    isAmbiguous: () => false,
    request: {},
    places,
  })
}

/** Runs an action in a handler of the newest revision, which gets its context from nowhere else. */
async function inHandler(action: (ctx: AskingContext) => Promise<void>): Promise<void> {
  const run = tool({}, async (_args, ctx) => {
    await action(ctx)
    return 'done'
  })
  const client = await connect(createServer({ name: 'x', version: '1', tools: { run } }), { versions: '2026-07-28' })
  try {
    expect((await client.callTool('run', {})).isError).not.toBe(true)
  } finally {
    await client.close()
  }
}

it('reliability: a call that is over before its question has a place takes none, which nobody would ever give back', async () => {
  const places = new Parking()
  await inHandler(async (ctx) => {
    const call = createCall(places)
    let seal = (): void => {}
    const sealed = new Promise<string>((resolve) => {
      seal = () => resolve(call.id)
    })
    Object.defineProperty(ctx, 'step', { value: () => sealed })
    let fail = (_error: Error): void => {}
    call.start(new Promise((_resolve, reject) => (fail = reject)))
    const attached = call.attach(ctx).catch(() => 'failed')
    const asked = call.question('elicitation/create', {}).catch(() => 'refused')
    // The name of the call is being sealed into the round: meanwhile the client hangs up, and the server stops.
    call.cancel('The client cancelled the request')
    fail(new Error('cancelled'))
    expect(await attached).toBe('failed')
    expect(await asked).toBe('refused')
    seal()
    // What was awaited inside has been heard of by then.
    await new Promise((resolve) => setImmediate(resolve))
    expect(places.size).toBe(0)
  })
})
