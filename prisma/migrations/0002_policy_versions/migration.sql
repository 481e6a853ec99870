-- AlterTable
ALTER TABLE "policies" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "policy_versions" ADD COLUMN "tests" JSONB NOT NULL DEFAULT '[]',
                              ADD COLUMN "restored_from" INTEGER;

-- Contents are stored with every default filled in; these fields are new, and what a content says of them itself stays.
UPDATE "policy_versions"
   SET "content" = '{"domainSplit": null, "versions": {"range": null, "sticky": false}, "sticky": false}'::jsonb || "content";
