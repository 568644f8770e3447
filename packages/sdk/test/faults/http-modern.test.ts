/** L2 of the fault matrix. */

import { describeHttp } from './http-cells.ts'

describeHttp('L2', 'modern')
