/** Spanish texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  required: 'Este valor es obligatorio',
  tooShort: 'Como mínimo {limit} caracteres',
  tooLong: 'Como máximo {limit} caracteres',
  tooSmall: 'Como mínimo {limit}',
  tooLarge: 'Como máximo {limit}',
  tooMany: 'Como máximo {limit} entradas',
  url: 'Se necesita una URL completa, por ejemplo https://example.com',
  email: 'Se necesita una dirección de correo, por ejemplo nombre@example.com',
  phone: 'Se necesita un número de teléfono con el prefijo del país, por ejemplo +14155550123',
  domain: 'Se necesita un nombre de dominio, por ejemplo example.com',
  invalid: 'Este valor no es válido ({detail})',
  duplicate: 'Este valor ya está en uso ({detail})',
  refused: 'La acción no es posible ({detail})',
  field: '{field}: {problem}',
  gone: 'El elemento ya no existe o no pertenece a su organización.',
  unavailable: 'El servicio no está disponible por el momento. Inténtelo de nuevo en un instante.',
  failed: 'Se produjo un error inesperado. Inténtelo de nuevo; si el error persiste, notifíquelo.',
  bodyTooLarge: 'El contenido es demasiado grande.',
}
