/** Time-based codes (RFC 6238). Only this file calls otplib, and only judged text reaches it. */
import { generateSecret, generateURI, verifySync } from 'otplib'

export const STEP_SECONDS = 30
const SECRET_BYTES = 20

/** Base32, as authenticators take it. */
export const makeSecret = (): string => generateSecret({ length: SECRET_BYTES })

/** What an authenticator scans. The library leaves a colon in the issuer as it is; the format forbids it. */
export const otpauthUrl = (enrolment: {
  issuer: string
  account: string
  secret: string
}): string =>
  generateURI({
    issuer: enrolment.issuer.replaceAll(':', '-'),
    label: enrolment.account,
    secret: enrolment.secret,
  })

const CODE = /^[0-9]{6}$/

/** The time step that the code is of, at most one from now; null when it is of none of the three. */
export const findStep = (input: { secret: string; code: string; now: Date }): number | null => {
  // otplib throws on anything but six ASCII digits.
  if (!CODE.test(input.code)) return null
  const verified = verifySync({
    secret: input.secret,
    token: input.code,
    epoch: Math.floor(input.now.getTime() / 1000),
    epochTolerance: STEP_SECONDS,
  })
  return verified.valid && 'timeStep' in verified ? verified.timeStep : null
}
