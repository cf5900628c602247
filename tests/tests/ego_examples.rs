//! Every worked example of ego.md by name; the numbers are normative, including IBM's own.

use fairground_tests::ego::check;

fairground_tests::worked_examples! {
    "ego/worked-examples.jsonl", check;
    /// Reached both from an empty pool and by reclaim from C.
    the_tree_of_the_documentation = "ego-01-seed-tree";
    /// IBM: A:B = 1:4, B1:B2 = 25:75.
    ibm_walk_through_of_100_slots = "ego-02-ibm-100-slots";
    total_usage_above_one_and_an_inversion_refused = "ego-03-fragmentation";
    caps_redistribute_and_fall_to_a_lower_priority = "ego-04-caps-and-priority";
    grace_over_several_cycles = "ego-05-grace-cycles";
    a_private_pool = "ego-06a-private-pool";
    the_public_pool_keeps_separate_books = "ego-06b-public-pool";
    reclaim_in_a_private_pool = "ego-06c-private-reclaim";
    the_displaced_unit_reclaims_elsewhere = "ego-06d-public-reclaim";
    above_a_share_limit_without_anybody_waiting = "ego-07-share-limit";
    several_victims_for_one_unit = "ego-08-multi-unit-victims";
    /// IBM: 1:1:1, C reclaims 2.
    ibm_example_of_18_slots = "ego-09-ibm-18-slots";
    /// Ownership, lending, the owner's return: all pools of example 6 together.
    ownership_and_lending_over_five_cycles = "ego-06-plan";
    /// IBM: 1:2:3 over 18 slots.
    static_and_dynamic_share_quota = "ego-05s-static-dynamic";
    slots_only_one_has_work = "slot-123-only-a";
    slots_two_have_work = "slot-123-a-b";
    slots_all_have_work = "slot-123-all";
    one_slot_goes_by_tree_order = "slot-one-slot";
    the_first_of_two_equals_takes_the_only_slot = "slot-one-slot-reclaim";
    ten_slots_for_three = "slot-ten";
    twelve_slots_older_example = "slot-twelve";
    eighteen_slots = "slot-eighteen";
    enforced_at_leaf_level = "slot-level-leaf";
    enforced_at_parent_level = "slot-level-parent";
}
