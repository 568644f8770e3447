/** Every server of the registry inside the host, under consent: a call asks, a yes runs it, a no does not. */

import assert from 'node:assert/strict'
import { createHost } from '@portico/host'
import { defineServer } from '@portico/host/config'
import type { Answer, Question } from '@portico/host/consent'
import { loadEntry, type ReadyServer, SERVER_NAMES, type ServerName } from '@portico/servers'
import type { Trial } from '../support/suite.ts'
import { missingFor, openFixture } from './fixtures.ts'

export const hostTrials: readonly Trial[] = SERVER_NAMES.map((name) => ({
  name: `host: ${name} with consent`,
  missing: () => missingFor(name),
  run: () => drive(name),
}))

async function drive(name: ServerName): Promise<void> {
  const fixture = await openFixture(name)
  const { values, tool, args, says } = fixture.callOf(name)
  let ready: ReadyServer | undefined
  let calls = 0
  const create = async () => {
    ready = await (await loadEntry(name)).create(values)
    ready.server.use('tools/call', (_call, next) => {
      calls++
      return next()
    })
    return ready
  }
  const asked: Question[] = []
  let answer: 'allow' | 'deny' = 'deny'
  const ask = (question: Question): Answer => {
    asked.push(question)
    // The server's own question is a second one: a person who allows the call agrees to it here, too.
    if (question.body.kind === 'form') return { action: 'allow', content: { confirm: true } }
    return { action: answer }
  }
  const host = await createHost({
    servers: [defineServer(name, { kind: 'in-process', module: name, options: {} }, { roots: [fixture.folder] })],
    inProcess: new Map([[name, create]]),
    ask,
  })
  try {
    await host.upstreams.client(name)
    const { items } = await host.catalogue.list()
    const item = items.find(({ kind, server, ownName }) => kind === 'tool' && server === name && ownName === tool)
    assert.ok(item, `the catalogue has no ${tool}`)

    await assert.rejects(host.call(item.name, { ...args }, { byModel: true, session: 'no' }), { code: 'denied' })
    assert.equal(calls, 0, 'a no ran the tool')
    const [question] = asked
    assert.equal(question?.body.kind, 'approval')
    const effect = question?.body.kind === 'approval' ? question.body.effect : undefined
    assert.deepEqual(effect?.kind === 'call' && [effect.server, effect.tool, effect.arguments], [name, tool, args])

    answer = 'allow'
    const done = await host.call(item.name, { ...args }, { byModel: true, session: 'yes' })
    assert.ok(calls > 0, 'a yes did not run the tool')
    assert.ok(done.result.isError !== true, JSON.stringify(done.result.content).slice(0, 500))
    assert.match(JSON.stringify(done.result), says)
  } finally {
    await host.close()
    await ready?.close()
    await fixture.close()
  }
}
