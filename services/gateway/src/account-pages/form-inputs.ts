/** Inputs of the forms. */
import type { FormField } from './locales/index.ts'

export interface FormInput {
  /** Name in the form and in the operation of the JSON API. */
  name: string
  label: FormField
  /** Rule whose hint and message are shown. */
  rule: FormField
  type: 'text' | 'email' | 'password'
  autocomplete: string
}

const input = (
  name: FormField,
  type: FormInput['type'],
  autocomplete: string,
  rule: FormField = name,
): FormInput => ({ name, label: name, rule, type, autocomplete })

export const inputs = {
  organizationName: input('organizationName', 'text', 'organization'),
  name: input('name', 'text', 'name'),
  email: input('email', 'email', 'username'),
  password: input('password', 'password', 'current-password'),
  chosenPassword: input('password', 'password', 'new-password', 'newPassword'),
  newPassword: input('newPassword', 'password', 'new-password'),
  code: input('code', 'text', 'one-time-code'),
} as const
