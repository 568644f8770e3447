/**
 * The mongo server at a MongoDB server, as `--uri` or `PORTICO_MONGO_URL` names one with a user who may only read; without
 * one, at a stand-in that speaks the wire protocol. Whatever is tried to write has to be refused by the server itself.
 */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from '@portico/sdk/client'
import { createMongoServer } from '@portico/servers/mongo'
import { MongoClient } from 'mongodb'
import { startMongoService } from '../support/mongo-service.ts'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'

type Client = Awaited<ReturnType<typeof connect>>

/** MongoDB's own code for what a role does not allow. */
const UNAUTHORIZED = 13

export function mongoTrials(uri = process.env.PORTICO_MONGO_URL): readonly Trial[] {
  const where = uri === undefined ? 'a stand-in of ours' : 'the server that was named'
  return [
    {
      name: `mongo: reads ${where}, whose own role refuses everything else`,
      async run(report) {
        const service = uri === undefined ? await standIn() : undefined
        try {
          await tryMongo(report, uri ?? service?.url ?? '')
        } finally {
          await service?.close()
        }
        if (uri === undefined) report.note = 'no MongoDB here: --uri mongodb://reader:password@host/name names one'
      },
    },
  ]
}

function standIn() {
  return startMongoService({ lamps: [{ _id: 1, name: 'Pharos', lit: true }], 'system.js': [] })
}

async function tryMongo(report: Report, url: string): Promise<void> {
  const ready = await createMongoServer({ url })
  const client = await connect(ready.server)
  const driver = new MongoClient(url, { retryWrites: false })
  try {
    await reading(report, client)
    await writing(report, driver)
  } finally {
    await driver.close()
    await client.close()
    await ready.close()
  }
}

async function reading(report: Report, client: Client): Promise<void> {
  let collection = ''
  await report.check('the user may only read, as the server itself says; its collections are listed', async () => {
    const [, first = ''] = (await say(client, 'list_collections', {})).split('\n')
    collection = first.replace(/ \(view\)$/, '')
    assert.ok(collection !== '' && collection !== 'No collections.', 'the database is empty')
  })
  const calls: readonly (readonly [string, object, RegExp])[] = [
    ['describe_collection', { sample: 20 }, /Fields \(of \d+ documents\):\n[\s\S]*Indexes:/],
    ['find', { limit: 2 }, /^\[From [^\n]+\]\n(?:\{|No documents)/],
    ['aggregate', { pipeline: [{ $match: {} }, { $count: 'documents' }] }, /^\[From [^\n]+\]\n(?:\{|No documents)/],
    ['explain', { filter: {} }, /winningPlan/],
    ['explain', { pipeline: [{ $match: {} }] }, /queryPlanner|stages/],
  ]
  for (const [tool, args, expected] of calls) {
    const name = `${tool} ${JSON.stringify(args)}`
    await report.check(name, async () => assert.match(await say(client, tool, { collection, ...args }), expected))
  }
}

async function writing(report: Report, driver: MongoClient): Promise<void> {
  const db = driver.db()
  const made = `portico_trial_${randomUUID()}`
  const attempts: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['insert', () => db.collection(made).insertOne({ a: 1 })],
    ['update', () => db.collection(made).updateOne({ a: 1 }, { $set: { a: 2 } })],
    ['delete', () => db.collection(made).deleteOne({ a: 1 })],
    ['create', () => db.createCollection(made)],
    [
      '$out',
      () =>
        db
          .collection(made)
          .aggregate([{ $match: {} }, { $out: `${made}_2` }])
          .toArray(),
    ],
  ]
  for (const [name, attempt] of attempts) {
    await report.check(`${name} is refused by the server`, () => assert.rejects(attempt(), { code: UNAUTHORIZED }))
  }
}

async function say(client: Client, tool: string, args: object): Promise<string> {
  const { content, isError } = await client.callTool(tool, { ...args })
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  assert.ok(isError !== true, text)
  return text
}
