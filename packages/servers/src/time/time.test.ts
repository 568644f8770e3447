import { type Client, connect } from '@portico/sdk/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTimeServer } from './server.ts'
import { fromText, toZoned } from './zoned.ts'

/** A Sunday: Europe changed its clocks at one o'clock UTC. */
const NOW = Date.parse('2026-03-29T00:30:00Z')

let client: Client
beforeEach(async () => {
  const { server } = await createTimeServer({ zone: 'Europe/Berlin', now: () => NOW, structured: true })
  client = await connect(server)
})
afterEach(() => client.close())

const call = async (name: string, args: { [name: string]: unknown }) =>
  (await client.callTool(name, args)).structuredContent

describe('time', () => {
  it.each([
    { zone: undefined, iso: '2026-03-29T01:30:00+01:00', weekday: 'Sunday' },
    { zone: 'UTC', iso: '2026-03-29T00:30:00Z', weekday: 'Sunday' },
    { zone: 'America/St_Johns', iso: '2026-03-28T22:00:00-02:30', weekday: 'Saturday' },
    { zone: 'Asia/Kathmandu', iso: '2026-03-29T06:15:00+05:45', weekday: 'Sunday' },
  ])('is $iso in $zone', async ({ zone, ...expected }) => {
    expect(await call('now', zone === undefined ? {} : { zone })).toMatchObject(expected)
  })

  it.each([
    { what: 'in winter', time: '2026-01-10T12:00', to: '2026-01-10T11:00:00Z' },
    { what: 'in summer', time: '2026-07-10T12:00', to: '2026-07-10T10:00:00Z' },
    { what: 'in the hour that is skipped', time: '2026-03-29T02:30', to: '2026-03-29T01:30:00Z' },
    { what: 'with an offset of its own', time: '2026-01-10T12:00+05:30', to: '2026-01-10T06:30:00Z' },
  ])('converts a time $what', async ({ time, to }) => {
    expect(await call('convert', { time, from: 'Europe/Berlin', to: ['UTC'] })).toMatchObject({ times: [{ iso: to }] })
  })

  it('counts a day with a change of clocks as 23 hours', async () => {
    const answer = await call('difference', { from: '2026-03-29T00:00', to: '2026-03-30T00:00', zone: 'Europe/Berlin' })
    expect(answer).toEqual({ seconds: 82_800, words: '23 hours' })
  })

  it('finds what comes next', async () => {
    expect(await call('next', { weekday: 'Monday', at: '09:00' })).toMatchObject({ iso: '2026-03-30T09:00:00+02:00' })
    expect(await call('next', { at: '9:00' })).toMatchObject({ iso: '2026-03-29T09:00:00+02:00' })
    expect(await call('next', { at: '01:00' })).toMatchObject({ iso: '2026-03-30T01:00:00+02:00' })
  })

  it.each(['Monday', 'monday', 'MONDAY', 'mon', ' Mo '])('takes %j for a weekday', async (weekday) => {
    expect(await call('next', { weekday, at: '09:00' })).toMatchObject({ iso: '2026-03-30T09:00:00+02:00' })
  })

  it('finds what comes next after a given time', async () => {
    const asked = { at: '14:30', after: '2026-05-01T15:00', zone: 'Asia/Tokyo' }
    expect(await call('next', asked)).toMatchObject({ iso: '2026-05-02T14:30:00+09:00' })
    expect(await call('next', { ...asked, after: '2026-05-01T14:29' })).toMatchObject({
      iso: '2026-05-01T14:30:00+09:00',
    })
  })

  it.each([
    ['14:30', 'Asia/Tokyo', '2026-03-29T05:30:00Z'],
    ['14:30', 'America/Los_Angeles', '2026-03-28T21:30:00Z'],
    ['14:30+05:30', 'UTC', '2026-03-29T09:00:00Z'],
  ])('takes %s in %s for a time of that day there', async (time, from, iso) => {
    expect(await call('convert', { time, from, to: ['UTC'] })).toMatchObject({ times: [{ iso }] })
  })

  it.each([
    ['+05:30', '2026-03-29T06:00:00+05:30'],
    ['UTC+2', '2026-03-29T02:30:00+02:00'],
    ['gmt-0330', '2026-03-28T21:00:00-03:30'],
    ['+00:00', '2026-03-29T00:30:00Z'],
  ])('takes %s for a zone', async (zone, iso) => {
    expect(await call('now', { zone })).toMatchObject({ iso })
  })

  it('says which of two hours was meant, and that one does not exist', async () => {
    const twice = (await call('convert', { time: '2026-10-25T02:30', to: ['UTC'] })) as { note: string }
    expect(twice.note).toContain('2026-10-25T02:30:00+02:00 is meant, not 2026-10-25T02:30:00+01:00')
    const never = (await call('difference', { from: '2026-03-29T02:30', to: '2026-03-29T04:00' })) as { note: string }
    expect(never).toMatchObject({ seconds: 1800, note: expect.stringContaining('clocks skip it') })
    expect(await call('convert', { time: '2026-10-25T04:30', to: ['UTC'] })).not.toHaveProperty('note')
  })

  it.each([
    ['now', { zone: 'Mars/Olympus' }, 'no time zone'],
    ['now', { zone: 'berlin' }, 'Europe/Berlin'],
    ['now', { zone: 'Europe/Berlln' }, 'Europe/Berlin'],
    ['now', { zone: 'America/New Yrok' }, 'America/New_York'],
    ['now', { zone: 'Asia/Tokio' }, 'Asia/Tokyo'],
    ['next', { weekday: 'Mon day' }, 'no weekday'],
    ['next', { weekday: 't' }, 'Tuesday, Wednesday'],
    ['convert', { time: 'tomorrow', to: ['UTC'] }, 'is no time'],
    ['next', { at: '29:00' }, 'is no time of day. Write it as 9:00 or 14:30'],
    ['next', { at: '09:00Z' }, 'is no time of day'],
    ['next', {}, 'Give `weekday`'],
    ['next', { zone: 'UTC', after: '2026-05-01T14:29' }, 'Give `weekday`'],
  ])('says what to write instead: %s %j', async (name, args, words) => {
    const result = await client.callTool(name, args)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain(words)
  })

  it('offers zones as a resource, proposed while typing', async () => {
    const { contents } = await client.readResource('time://now/Asia/Tokyo')
    expect(JSON.stringify(contents)).toContain('2026-03-29T09:30:00+09:00')
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'time://now/{+zone}' },
      argument: { name: 'zone', value: 'europe/be' },
    })
    expect(completion.values).toContain('Europe/Berlin')
  })
})

describe('times that are easily taken for others', () => {
  it.each([
    ['2026-02-30T10:00', 'UTC'],
    ['2026-02-29', 'UTC'],
    ['2026-04-31T10:00+02:00', 'Europe/Berlin'],
    ['2026-13-01', 'UTC'],
    ['2026-02-31T24:00', 'UTC'],
  ])('servers 14: %s does not exist', (text, zone) => {
    expect(() => fromText(text, zone, NOW)).toThrow('is no time')
  })

  it.each([
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T02:30:00+02:00'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T01:30:00-04:00'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T03:30:00+02:00'],
    ['2026-07-01T12:00', 'Asia/Kolkata', '2026-07-01T12:00:00+05:30'],
    ['2026-02-28T24:00', 'UTC', '2026-03-01T00:00:00Z'],
    ['0001-01-02T10:00', 'UTC', '0001-01-02T10:00:00Z'],
    ['0099-06-01T00:00', 'UTC', '0099-06-01T00:00:00Z'],
  ])('servers 14: %s in %s is %s', (text, zone, expected) => {
    expect(toZoned(fromText(text, zone, NOW).moment, zone).iso).toBe(expected)
  })

  it('servers 14: years that have no plain form are refused, and an hour that comes twice comes next twice', async () => {
    const ask = async (name: string, args: { [key: string]: unknown }) =>
      JSON.stringify(await client.callTool(name, args))
    const before = { time: '0000-01-01T00:00', from: '+14:00', to: ['-12:00'] }
    expect(await ask('convert', before)).toContain('outside of the years 0000 to 9999')
    const last = { at: '00:00', after: '9999-12-31T23:59', zone: 'UTC' }
    expect(await ask('next', last)).toContain('outside of the years 0000 to 9999')
    const twice = { at: '02:30', after: '2026-10-25T02:40+02:00', zone: 'Europe/Berlin' }
    expect(await ask('next', twice)).toContain('2026-10-25T02:30:00+01:00')
    expect(await ask('next', { ...twice, after: '2026-10-25T02:20+02:00' })).toContain('2026-10-25T02:30:00+02:00')
    expect(await ask('next', { ...twice, after: '2026-10-25T02:30+01:00' })).toContain('2026-10-26T02:30:00+01:00')
    expect(await ask('now', { zone: 'x\u202ey' })).toContain('x\\\\\\\\u{202E}y')
  })

  it('servers 15: an argument that is not known is refused', async () => {
    const { server } = await createTimeServer({ structured: true })
    for (const { name, inputSchema } of server.catalogue().tools) {
      expect(inputSchema, name).toMatchObject({ additionalProperties: false })
    }
  })
})
