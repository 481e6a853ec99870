-- CreateEnum
CREATE TYPE "AnchorReason" AS ENUM ('EXPIRED', 'UNCHAINED');

-- AlterTable
ALTER TABLE "audit_head" ADD COLUMN "chain" BYTEA,
                         ADD COLUMN "recorded_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "audit_links" (
    "first_sequence" BIGINT NOT NULL,
    "last_sequence" BIGINT NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "macs" BYTEA NOT NULL,

    CONSTRAINT "audit_links_pkey" PRIMARY KEY ("first_sequence")
);

-- Random bytes do not become smaller, so that trying would be in vain.
ALTER TABLE "audit_links" ALTER COLUMN "macs" SET STORAGE EXTERNAL;

-- CreateTable
CREATE TABLE "audit_anchors" (
    "first_sequence" BIGINT NOT NULL,
    "last_sequence" BIGINT NOT NULL,
    "reason" "AnchorReason" NOT NULL,
    "entries" BIGINT NOT NULL,
    "before" BYTEA NOT NULL,
    "chain" BYTEA NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "mac" BYTEA NOT NULL,

    CONSTRAINT "audit_anchors_pkey" PRIMARY KEY ("first_sequence")
);
