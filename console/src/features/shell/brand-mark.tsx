/** The product's sign: one point that reaches others. */
export function BrandMark({ size = 20, className }: { size?: number; className?: string | undefined }) {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      aria-hidden="true"
      focusable="false"
    >
      <circle cx="4.5" cy="15.5" r="2.5" fill="currentColor" />
      <path d="M4.5 9.4a6.1 6.1 0 0 1 6.1 6.1" stroke="currentColor" strokeWidth="1.9" strokeLinecap="round" />
      <path d="M4.5 4.6a10.9 10.9 0 0 1 10.9 10.9" stroke="currentColor" strokeWidth="1.9" strokeLinecap="round" />
      <circle cx="15.2" cy="4.8" r="1.9" fill="currentColor" />
    </svg>
  );
}
