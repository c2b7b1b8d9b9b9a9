/** Calls of the JSON operations with the values of a form, so that both follow the same rules. */
import { type Body, type Operation, throwIssues } from '@status-page/contracts'
import { type Call, compileDecoder, compileValidator } from '@status-page/service'
import type { FormValues } from './form.ts'

type WithBody = Operation & { body: NonNullable<Operation['body']> }

/** Returns a function that validates the values like the body of the operation. */
export const apiCallOf = <Op extends WithBody>(operation: Op) => {
  const decode = compileDecoder(operation.body)
  const validate = compileValidator(operation.body, 'body')
  return (call: Call, values: FormValues): Call<Op> => {
    const entered = Object.entries(values).filter(
      ([, value]) => value !== undefined && value !== '',
    )
    const body = decode(Object.fromEntries(entered))
    throwIssues(validate(body))
    return Object.create(call, { body: { value: body as Body<Op> } }) as Call<Op>
  }
}
