/** Run as a program: puts one request to the handler of `fetch.ts`, by the URL and method given, and prints the answer. */

import clock from '../fetch.ts'
import { modernRequest, responseOf } from './http-example.ts'

const [url = '', method = ''] = process.argv.slice(2)
const answer = await clock.fetch(modernRequest(url, method, { name: 'now' }))
console.log(JSON.stringify({ status: answer.status, body: await responseOf(answer) }))
clock.close()
