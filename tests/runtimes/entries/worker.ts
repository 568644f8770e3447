/** `serveFetch` as a Worker: nothing is kept between requests, which may each meet another copy of this program. */

import { serveFetch } from '@portico/sdk/fetch'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

export default serveFetch(createSubject(), { ...OPTIONS, sessions: false })
