/** Arabic texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  required: 'هذه القيمة مطلوبة',
  tooShort: 'الحد الأدنى لعدد الأحرف: {limit}',
  tooLong: 'الحد الأقصى لعدد الأحرف: {limit}',
  tooSmall: 'الحد الأدنى: {limit}',
  tooLarge: 'الحد الأقصى: {limit}',
  tooMany: 'الحد الأقصى لعدد العناصر: {limit}',
  url: 'أدخل عنوان URL كاملاً، مثل \u2068https://example.com\u2069',
  email: 'أدخل عنوان بريد إلكتروني، مثل \u2068name@example.com\u2069',
  phone: 'أدخل رقم هاتف مع رمز الدولة، مثل \u2068+14155550123\u2069',
  domain: 'أدخل اسم نطاق، مثل \u2068example.com\u2069',
  invalid: 'هذه القيمة غير صالحة (\u2068{detail}\u2069)',
  duplicate: 'هذه القيمة مستخدمة بالفعل (\u2068{detail}\u2069)',
  refused: 'لا يمكن تنفيذ الإجراء (\u2068{detail}\u2069)',
  field: '\u2068{field}\u2069: {problem}',
  gone: 'لم يعد العنصر موجودًا، أو أنه لا ينتمي إلى مؤسستك.',
  unavailable: 'الخدمة غير متاحة حاليًا. أعد المحاولة بعد لحظات.',
  failed: 'حدث خطأ غير متوقع. أعد المحاولة، وأبلغ عن الخطأ إذا تكرر.',
  bodyTooLarge: 'المحتوى كبير جدًا.',
}
