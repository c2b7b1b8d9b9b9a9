/** Time-based codes (RFC 6238). Only this file calls otplib, and only with validated input. */
import { generateSecret, generateURI, verifySync } from 'otplib'

export const STEP_SECONDS = 30
const SECRET_BYTES = 20

/** Random secret in base32, the format that authenticator apps accept. */
export const makeTotpSecret = (): string => generateSecret({ length: SECRET_BYTES })

/**
 * URL for the QR code. Colons in the issuer are replaced: the format forbids them and the library
 * does not escape them.
 */
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

/**
 * Returns the time step of the code, at most one step from now; null when none of the three steps
 * matches.
 */
export const findTotpStep = (input: { secret: string; code: string; now: Date }): number | null => {
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
