import { RpcError } from '@portico/sdk/server'
import { expect, test } from 'vitest'
import { HostError } from '../../errors.ts'
import { toCallerError, toToolFailure } from './failures.ts'

test('a server that was taken out of the configuration has answered nothing, and was sent nothing (sec-831)', () => {
  const error = new HostError('unknown-server', 'No server "a" is configured')
  expect(toToolFailure(error)).toBeUndefined()
  const told = toCallerError(error, 'a')
  expect(told).toBeInstanceOf(RpcError)
  expect((told as RpcError).data).toEqual({ code: 'unknown-server', delivery: 'not-sent' })
})

test('what a model can act upon is a result that it reads', () => {
  expect(toToolFailure(new HostError('denied', 'Not allowed'))).toMatchObject({ isError: true })
})
