/** L3 of the fault matrix. */

import { describeHttp } from './http-cells.ts'

describeHttp('L3', 'session')
