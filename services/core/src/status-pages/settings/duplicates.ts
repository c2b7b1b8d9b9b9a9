/** Values that another page has; the messages reveal nothing about its owner. */
import { AppError } from '@status-page/contracts'

export const SLUG_TAKEN = 'The slug is already in use'
export const DOMAIN_TAKEN = 'The custom domain is already in use'

/** 409 about a value that another page has, with its field. */
export class TakenError extends AppError {
  readonly field: string

  constructor(field: 'slug' | 'customDomain', message: string) {
    super('CONFLICT', message, { reason: 'duplicate' })
    this.field = field
  }
}
