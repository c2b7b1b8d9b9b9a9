/** QR code of the otpauth URL for authenticator apps. */
import { toDataURL, toString as toText } from 'qrcode'

export interface QrCode {
  /** PNG as a data URI. */
  qrCode: string
  qrCodeSvg: string
}

export const qrCodeOf = async (url: string): Promise<QrCode> => {
  const [qrCode, qrCodeSvg] = await Promise.all([toDataURL(url), toText(url, { type: 'svg' })])
  return { qrCode, qrCodeSvg }
}
