import { afterEach, describe, expect, test, vi } from 'vitest'
import type { HttpAnswer } from '../transport/http-client/http-client.ts'
import { clampRetry, contentType, errorInBody, redirectOf, statusError, withReason } from './http-answer.ts'

const answer = (status: number, headers: { [name: string]: string } = {}): HttpAnswer => ({
  status,
  header: (name) => headers[name.toLowerCase()],
  read() {},
})

afterEach(() => {
  vi.useRealTimers()
})

describe('judging the head of an answer', () => {
  test.each([
    [0, 100],
    [99, 100],
    [100, 100],
    [500, 500],
    [60_000, 60_000],
    [60_001, 60_000],
    [2 ** 31, 60_000],
    [2 ** 53, 60_000],
    [Number.POSITIVE_INFINITY, 60_000],
  ])('retry %d waits %d ms (sec-13)', (asked, waited) => {
    expect(clampRetry(asked)).toBe(waited)
  })

  test.each([
    ['2', 2_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2015 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['99999999999999999999', undefined],
  ])('Retry-After: %s', (value, retryAfterMs) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
    const { data } = statusError(answer(503, { 'retry-after': value }), false)
    expect((data as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs)
  })

  test.each([
    [301, false, 'unknown'],
    [302, false, 'unknown'],
    [303, false, 'unknown'],
    [307, false, 'not-sent'],
    [308, false, 'not-sent'],
    [400, false, 'not-sent'],
    [404, true, 'not-sent'],
    [429, false, 'not-sent'],
    [500, false, 'unknown'],
    [502, false, 'unknown'],
    [503, false, 'unknown'],
  ])('HTTP %i (session: %s): %s', (status, session, delivery) => {
    expect(statusError(answer(status), session)).toMatchObject({ code: 'http-status', delivery, data: { status } })
  })

  test.each([
    ['https://mcp.example.com/v2?key=s3cret', ': it redirects to https://mcp.example.com/v2, which is not followed'],
    ['/v2', ': it redirects, which is not followed'],
    ['https://x.example/\u001b[2J', 'it redirects to https://x.example/%1B[2J, which'],
  ])('a redirect to %j is told, with what to do', (location, words) => {
    const { message } = statusError(answer(301, { location }), false)
    expect(message).toContain(words)
    expect(message).not.toContain('s3cret')
  })

  test.each([404, 405, 410])('HTTP %i suggests the usual path (newcomer 19)', (status) => {
    const at = (url: string) => statusError(answer(status), false, new URL(url)).message
    expect(at('http://127.0.0.1:3000/')).toContain('; try http://127.0.0.1:3000/mcp')
    expect(at('https://ann:pw@x.example/api/?key=s3cret')).toMatch(/; most servers are at \/mcp, older ones at \/sse$/)
    expect(at('ws://127.0.0.1:3000')).toContain('; try ws://127.0.0.1:3000/mcp')
  })

  test('only a 404 within a session means that it is lost', () => {
    expect(statusError(answer(404), true).data).toEqual({ status: 404, sessionLost: true })
    expect(statusError(answer(404), false).data).toEqual({ status: 404 })
    expect(statusError(answer(400), true).data).toEqual({ status: 400 })
  })

  test.each([
    [307, '/mcp/', 'http://a.example/mcp/'],
    [308, 'http://a.example/x', 'http://a.example/x'],
    [307, 'http://b.example/mcp', undefined],
    [307, 'https://a.example/mcp', undefined],
    [307, 'http://a.example:81/mcp', undefined],
    [302, '/mcp/', undefined],
    [301, '/mcp/', undefined],
    [307, 'http://', undefined],
  ])('redirect %i to %s', (status, location, target) => {
    expect(redirectOf(answer(status, { location }), new URL('http://a.example/mcp'))?.href).toBe(target)
  })

  test('the content type is read without its parameters, in any case', () => {
    expect(contentType(answer(200, { 'content-type': 'Application/JSON; charset=utf-8' }))).toBe('application/json')
    expect(contentType(answer(200))).toBe('')
  })

  test.each([
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}', -32600],
    ['{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}', 1],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
    ['{"error":"x"}', undefined],
    ['<html>', undefined],
    ['', undefined],
  ])('the error in %s', (text, code) => {
    const response = errorInBody(text, 7)
    expect(response && 'error' in response ? [response.id, response.error.code] : undefined).toEqual(code && [7, code])
  })
})

test('a refusal that is to be repeated later keeps what the server says of it, as one line', () => {
  const error = statusError(answer(503, { 'retry-after': '2' }), false)
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Away\n\u001B[31mnow' } })
  expect(withReason(error, errorInBody(body, 1))).toMatchObject({
    message: 'The server answered HTTP 503: Away [31mnow',
    data: error.data,
    delivery: 'not-sent',
  })
  expect(withReason(error, undefined)).toBe(error)
})
